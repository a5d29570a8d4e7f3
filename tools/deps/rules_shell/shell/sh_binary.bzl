"""rules_shell's sh_binary over the native rule."""

def sh_binary(**kwargs):
    native.sh_binary(**kwargs)
