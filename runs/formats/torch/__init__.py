"""What `torch_file` is made of: a pickle machine that runs nothing, tensors that stay in the file, and torch's old layouts."""
