package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Settings are what all processes of a crawl share of its configuration: values in JSON by their keys.
type Settings map[string]json.RawMessage

// urlsKey is the key of the start URLs. A process may add some.
const urlsKey = "urls"

// allowKey is the key of the addresses that all processes allow. A process does not adopt
// them: write access to Redis must not open the network of its machine.
const allowKey = "allow-addr"

// changeableKeys are the keys of the crawl that a process can change when it resumes: [Limits] and
// the allowed addresses.
var changeableKeys = []string{"max-pages", "max-host-pages", "max-bytes", "max-time", allowKey}

// A SettingsError means that settings of a process conflict with those of the crawl.
type SettingsError string

func settingsError(format string, args ...any) error {
	return SettingsError(fmt.Sprintf(format, args...))
}

func (e SettingsError) Error() string { return string(e) }

// adopt returns s with the settings of a crawl, its start URLs and the limits that were
// announced since.
func (s Settings) adopt(name string, crawl []byte, events []event) (Settings, error) {
	var theirs Settings
	if err := json.Unmarshal(crawl, &theirs); err != nil {
		return nil, fmt.Errorf("settings of the crawl %q: %w", name, err)
	}
	joined := maps.Clone(s)
	for key, value := range theirs {
		if _, known := s[key]; known {
			joined[key] = value
		}
	}
	for _, e := range events {
		if e.Allowed != nil {
			joined[allowKey] = e.Allowed
		}
		if e.Limits == nil {
			continue
		}
		text, err := json.Marshal(e.Limits)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &joined); err != nil { // keeps the other keys
			return nil, err
		}
	}
	return joined, nil
}

// checkConflicts returns an error if a process has another value than the crawl for a given
// key, or allows other addresses.
func (s Settings) checkConflicts(name string, process Settings, given func(key string) bool) error {
	if err := checkAllowed(name, s[allowKey], process[allowKey]); err != nil {
		return err
	}
	keys := slices.DeleteFunc(s.changedKeys(process), func(key string) bool { return !given(key) })
	if len(keys) == 0 {
		return nil
	}
	return settingsError("the crawl %q has another %s, which all its workers share; omit it, or start a crawl with another name (crawl-name)",
		name, strings.Join(keys, ", another "))
}

// checkAllowed returns an error if a process and the crawl allow different addresses. Otherwise a
// process would skip URLs that another fetches.
func checkAllowed(name string, crawl, process json.RawMessage) error {
	if bytes.Equal(crawl, process) {
		return nil
	}
	var allowed []string
	if err := json.Unmarshal(crawl, &allowed); err != nil {
		return fmt.Errorf("addresses that the crawl %q allows: %w", name, err)
	}
	networks := strings.Join(allowed, ",")
	flag := networks
	if len(allowed) == 0 {
		networks, flag = "public addresses only", `""`
	}
	return settingsError("the crawl %q allows connections to %s; join or resume it with --allow-addr %s", name, networks, flag)
}

// changedKeys returns the keys with different values, sorted. A list without elements equals
// one that was not set.
func (s Settings) changedKeys(other Settings) []string {
	var keys []string
	isEmpty := func(value json.RawMessage) bool { return string(value) == "null" || string(value) == "[]" }
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if key != urlsKey && !bytes.Equal(s[key], other[key]) && !(isEmpty(s[key]) && isEmpty(other[key])) {
			keys = append(keys, key)
		}
	}
	return keys
}

// limits returns the limits among the settings.
func (s Settings) limits() (*Limits, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	l := &Limits{}
	return l, json.Unmarshal(text, l)
}

// urls returns the start URLs.
func (s Settings) urls() (urls []string, err error) {
	return urls, json.Unmarshal(s[urlsKey], &urls)
}
