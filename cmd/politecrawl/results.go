package main

import "bufio"

// results is standard output for a command that writes more than fits into
// memory. What is written is there after flush.
type results struct{ buffer *bufio.Writer }

func (p *program) newResults() results { return results{bufio.NewWriterSize(p.out, 1<<16)} }

func (r results) write(text string) error {
	if _, err := r.buffer.WriteString(text); err != nil {
		return failed("cannot write the results: %w", err)
	}
	return nil
}

// writeJSON writes v as one line.
func (r results) writeJSON(v any) error {
	text, err := marshal(v)
	if err != nil {
		return err
	}
	return r.write(text + "\n")
}

func (r results) flush() error {
	if err := r.buffer.Flush(); err != nil {
		return failed("cannot write the results: %w", err)
	}
	return nil
}
