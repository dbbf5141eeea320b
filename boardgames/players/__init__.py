"""The players of the core, registered through the same hooks as any plug-in's."""
