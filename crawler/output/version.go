package output

// Version is that of the files of a crawl, as SCHEMA.md describes them: the version in
// its state file. It changes when a field changes its type or meaning, or goes away.
const Version = 1
