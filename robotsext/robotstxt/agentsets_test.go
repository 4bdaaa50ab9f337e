package robotstxt

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAgentSets(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		want       [][]string
	}{
		{"no group", "Disallow: /\n", nil},
		{"ROB-GRP-01/one run", "User-agent: a\nUser-agent: *\nUser-agent: b\nDisallow: /\n", [][]string{{"a", "*", "b"}}},
		{"ROB-GRP-09/one run and another", "User-agent: a\nUser-agent: b\nDisallow: /\nUser-agent: A\nDisallow: /x\n", [][]string{{"a"}, {"b"}}},
		{"the same runs", "User-agent: a\nUser-agent: b\nDisallow: /\nUser-agent: B\nUser-agent: A\nUser-agent: c\nDisallow: /x\n", [][]string{{"a", "b"}, {"c"}}},
		{"the same rules in different runs", "User-agent: a\nDisallow: /\nUser-agent: b\nDisallow: /\n", [][]string{{"a"}, {"b"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Parse([]byte(tt.file), nil).AgentSets()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
