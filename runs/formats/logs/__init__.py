"""What trainings log: metrics line by line, text, wandb, results, and the records that `tensorboard` reads."""
