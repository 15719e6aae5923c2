// A module of a stack that cannot be loaded.
throw new Error('broken while it is loaded');
