package jsonlines

func UnmarshalLine[T any](text []byte) (*T, error) { return unmarshal[T](text) }
