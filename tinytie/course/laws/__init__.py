"""The laws of the exercises, one file a lesson. They state what must hold, not how to get there."""
