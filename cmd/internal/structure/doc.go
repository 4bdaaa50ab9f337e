// Package structure tests the repository: which package imports which, the words of names and
// texts, the links of documents, examples, and the tests that documents name.
package structure
