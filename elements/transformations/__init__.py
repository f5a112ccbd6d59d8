"""From the displacements of nodes to the deformations of a member, and from its forces back."""
