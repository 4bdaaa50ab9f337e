package main

import "github.com/politecrawl/politecrawl/crawler/output"

// formats are what --write may name.
func formats() []output.Format {
	return nil
}
