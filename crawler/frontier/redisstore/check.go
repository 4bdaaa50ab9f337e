package redisstore

// CheckAddress returns an ErrAddress when addr is nothing that Open could use. It asks
// nobody.
func CheckAddress(addr string) error {
	_, err := parseAddress(addr)
	return err
}

// ValidName reports whether a crawl, a prefix or a worker can have the name.
func ValidName(name string) bool { return nameForm.MatchString(name) }
