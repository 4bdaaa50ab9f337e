package redisstore

// CheckAddress returns an ErrAddress when addr is nothing that Open could use, and tells
// whether it has a password in it. It asks nobody.
func CheckAddress(addr string) (password bool, err error) {
	a, err := parseAddress(addr)
	return a.password != "", err
}

// ValidName reports whether a crawl, a prefix or a worker can have the name.
func ValidName(name string) bool { return nameForm.MatchString(name) }
