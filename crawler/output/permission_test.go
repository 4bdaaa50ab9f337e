package output

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// FuzzPermission compares lines of permissions.jsonl with those of encoding/json.
func FuzzPermission(f *testing.F) {
	f.Add("http://example.com/?a=1&b=2", int64(1769860800000000000), "", "", "", "")
	f.Add("\xff\u2028<&\"\\", int64(-1), "a1", "b2", "\x00\x7f", "tdm: \"é\"")
	f.Fuzz(func(t *testing.T, url string, at int64, robots, tdmrep, raw, withheld string) {
		var purposes usage.Verdicts
		var statements []usage.Statement
		if raw != "" {
			purposes = usage.Verdicts{usage.TDM: {Value: usage.Disallowed, Statement: 1}, usage.Search: {Value: usage.Allowed, Statement: 2}}
			statements = []usage.Statement{{Kind: usage.KindTDMRep, Raw: raw, URL: url, Labels: map[string]string{raw: url}}, {}}
		}
		// Without names, so that a new field does not compile here.
		p := &Permission{url, time.Unix(0, at).UTC(), robots, tdmrep, purposes, statements, withheld, raw}
		var want bytes.Buffer
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(p); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.String(), string(p.AppendJSON(nil))+"\n"); diff != "" {
			t.Errorf("(-encoding/json +AppendJSON):\n%s", diff)
		}
	})
}
