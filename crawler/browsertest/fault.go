package browsertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// event takes down what happens in the tab.
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
	}
}

// Faults are what went wrong since a page was opened, each message in the console
// among it, and each request for what does not begin like one of the page's own URLs.
func (b *Tab) Faults(own ...string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []string
	for _, e := range b.errors {
		found = append(found, "in the console: "+e)
	}
	for _, url := range b.requests {
		if !slices.ContainsFunc(own, func(prefix string) bool { return strings.HasPrefix(url, prefix) }) {
			found = append(found, "a request for "+url)
		}
	}
	return found
}

// WantNoFault holds that there are no [Tab.Faults].
func (b *Tab) WantNoFault(own ...string) {
	b.t.Helper()
	for _, f := range b.Faults(own...) {
		b.t.Error(f)
	}
}
