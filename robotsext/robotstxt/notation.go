package robotstxt

// CanonicalPattern returns the form in which the path of a rule is compared, and
// the length that it has in the comparison with other rules (ROB-MAT-03). In that
// form a star is always a wildcard, and a dollar sign the end of the URL.
func CanonicalPattern(pattern string) (canonical string, length int) {
	return canonicalRule(pattern, 0)
}

// NearestField guesses which of the fields that count a name was meant for, in
// lower case: user-agent, allow, disallow, sitemap or crawl-delay. It returns ""
// if none is near. A misspelt field has no effect (ROB-FMT-11).
func NearestField(name string) string { return guessField(name) }
