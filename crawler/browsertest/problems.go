package browsertest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// event records the errors, requests and responses of the tab.
func (b *Tab) event(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		b.errors = append(b.errors, ev.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.errors = append(b.errors, fmt.Sprintf("console.%s", ev.Type))
	case *log.EventEntryAdded:
		b.errors = append(b.errors, ev.Entry.Text)
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, ev.Request.URL)
	case *network.EventResponseReceived:
		b.responses[ev.Response.URL] = int(ev.Response.Status)
	}
}

// Problems returns the problems since [Tab.Open]: uncaught exceptions, all console messages, and
// requests for URLs that begin with none of the allowed prefixes.
func (b *Tab) Problems(allowed ...string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []string
	for _, e := range b.errors {
		found = append(found, "in the console: "+e)
	}
	for _, url := range b.requests {
		if !slices.ContainsFunc(allowed, func(prefix string) bool { return strings.HasPrefix(url, prefix) }) {
			found = append(found, "request for "+url)
		}
	}
	return found
}

// Responses returns the status of the last response from each URL since [Tab.Open]. Redirects are followed.
func (b *Tab) Responses() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.responses)
}

// CheckNoProblems fails the test for each of [Tab.Problems], but does not stop it.
func (b *Tab) CheckNoProblems(allowed ...string) {
	b.t.Helper()
	for _, f := range b.Problems(allowed...) {
		b.t.Error(f)
	}
}
