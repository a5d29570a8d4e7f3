"""rules_shell's sh_test over the native rule."""

def sh_test(**kwargs):
    native.sh_test(**kwargs)
