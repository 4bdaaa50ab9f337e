// Package e2e tests the whole program: commands that work together, crawls of sites on loopback,
// and what documents say of the program. Tests of one command are beside it, in
// cmd/politecrawl/internal.
package e2e
