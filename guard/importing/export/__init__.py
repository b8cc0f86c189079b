"""The import itself, which needs the extra `export`: torch, transformers and onnx."""
