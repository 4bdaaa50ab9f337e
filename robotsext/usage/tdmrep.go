package usage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// TDMRepPath is the path of the TDMRep file of an origin.
const TDMRepPath = "/.well-known/tdmrep.json"

// Limits of a TDMRep file. ParseTDMRep refuses a file beyond them.
const (
	MaxTDMRepBytes = 256 << 10
	MaxTDMRepRules = 1000
)

// ErrTDMRepSize is the error of ParseTDMRep for a file that is too large.
var ErrTDMRepSize = fmt.Errorf("larger than %d bytes", MaxTDMRepBytes)

// TDMRep is a parsed TDMRep file (W3C TDM Reservation Protocol). It never changes.
type TDMRep struct {
	rules []tdmrepRule
	size  int
}

type tdmrepRule struct {
	pattern   robotstxt.Pattern
	statement Statement
}

// Sizes of the parts of a TDMRep on a 64-bit machine, with a quarter more for slices that have
// grown. TestTDMRepSize measures them.
const (
	tdmrepBytes = 128
	ruleBytes   = 264 // without the texts and values
	valuesBytes = 264 // Statement.Values of a rule
)

// Size estimates the memory of the parsed file in bytes. It is 0 for nil.
func (t *TDMRep) Size() int {
	if t == nil {
		return 0
	}
	return t.size
}

// ParseTDMRep parses a file from TDMRepPath: a JSON array of rules. A rule without a
// location is ignored. The text of an error depends on the file alone, so that it can be
// compared with a record.
func ParseTDMRep(body []byte) (*TDMRep, error) {
	if len(body) > MaxTDMRepBytes {
		return nil, ErrTDMRepSize
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), &elements); err != nil {
		return nil, errors.New("invalid: not a JSON array")
	}
	if len(elements) > MaxTDMRepRules {
		return nil, fmt.Errorf("invalid: more than %d rules", MaxTDMRepRules)
	}
	t := &TDMRep{size: tdmrepBytes}
	hash := Hash(body)
	for i, element := range elements {
		var rule struct {
			Location    string `json:"location"`
			Reservation any    `json:"tdm-reservation"`
			Policy      any    `json:"tdm-policy"`
		}
		if json.Unmarshal(element, &rule) != nil || rule.Location == "" {
			continue
		}
		var raw bytes.Buffer
		_ = json.Compact(&raw, element) // it is valid
		policy, _ := rule.Policy.(string)
		s := tdmrepStatement(Source{InFile, TDMRepPath, i + 1, hash}, raw.String(), fmt.Sprint(rule.Reservation), policy).clipped()
		pattern := robotstxt.NewPattern(rule.Location)
		t.rules = append(t.rules, tdmrepRule{pattern, s})
		t.size += ruleBytes + len(rule.Location) + pattern.Size() + len(s.Raw) + len(s.URL)
		if s.Values != nil {
			t.size += valuesBytes
		}
	}
	return t, nil
}

// Match returns the first rule that matches a path, with its query if it has one. The
// patterns are as in robots.txt.
func (t *TDMRep) Match(pathAndQuery string) (Statement, bool) {
	for i := range t.rules {
		if t.rules[i].pattern.Match(pathAndQuery) {
			return t.rules[i].statement, true
		}
	}
	return Statement{}, false
}

// tdmrepStatement returns the statement of a reservation and a policy. Values other than
// 0 and 1 count as unset, and the policy of content that is not reserved does not count.
func tdmrepStatement(source Source, raw, reservation, policy string) Statement {
	s := Statement{Kind: KindTDMRep, Source: source, Raw: raw}
	switch strings.TrimSpace(reservation) {
	case "0":
		s.set(Allowed, TDM, TrainAI)
	case "1":
		s.set(Disallowed, TDM, TrainAI)
		s.URL = strings.TrimSpace(policy)
	}
	return s
}

// tdmrepPlaces are the places of TDMRep, weakest first.
var tdmrepPlaces = []SourceKind{InFile, InHeader, InMeta}

// Counting returns the statements that count, with their indexes. TDMRep statements count only
// if no stronger source has a value: a meta element supersedes a header field, and a header
// field the file.
func Counting(statements []Statement) iter.Seq2[int, *Statement] {
	return func(yield func(int, *Statement) bool) { eachCounting(statements, yield) } // inlined, without an allocation
}

func eachCounting(statements []Statement, yield func(int, *Statement) bool) {
	strongest := -1
	for i := range statements {
		if s := &statements[i]; s.Kind == KindTDMRep && len(s.Values) > 0 {
			strongest = max(strongest, tdmrepRank(s))
		}
	}
	for i := range statements {
		s := &statements[i]
		superseded := s.Kind == KindTDMRep && tdmrepRank(s) < strongest
		if !superseded && !yield(i, s) {
			return
		}
	}
}

func tdmrepRank(s *Statement) int { return slices.Index(tdmrepPlaces, s.Source.Kind) }
