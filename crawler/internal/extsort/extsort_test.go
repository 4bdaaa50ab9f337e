package extsort

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sorted returns all lines of a Sorter.
func sorted(t *testing.T, s *Sorter) []string {
	t.Helper()
	var got []string
	for line, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, line)
	}
	return got
}

func TestSortsLinesOfAnyNumber(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	random := rand.New(rand.NewPCG(1, 2))
	for name, tt := range map[string]struct{ lines, memory int }{
		"none":               {0, 0},
		"in memory":          {1000, 0},
		"one line for a run": {20, 1},
		"many runs":          {5000, 4096},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(tt.memory)
			var want []string
			for range tt.lines {
				line := fmt.Sprint(random.IntN(tt.lines), strings.Repeat("x", random.IntN(30)))
				want = append(want, line)
				if err := s.Add(line); err != nil {
					t.Fatal(err)
				}
			}
			slices.Sort(want)
			for range 2 {
				if diff := cmp.Diff(want, sorted(t, s)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
			if spilled := tt.memory > 0; spilled != (s.file != nil) {
				t.Errorf("file %v", s.file)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if left, err := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 || err != nil {
				t.Errorf("left %q, %v", left, err)
			}
		})
	}
}

func TestReportsErrorsOfTheFile(t *testing.T) {
	t.Run("cannot be created", func(t *testing.T) {
		t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
		s := New(1)
		if err := s.Add("a"); err != nil {
			t.Fatal(err)
		}
		if err := s.Add("b"); !os.IsNotExist(err) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("truncated", func(t *testing.T) {
		s := New(1)
		for _, line := range []string{"a", "b", "c"} {
			if err := s.Add(line); err != nil {
				t.Fatal(err)
			}
		}
		defer func() { _ = s.Close() }()
		if err := s.file.Truncate(3); err != nil {
			t.Fatal(err)
		}
		for _, err := range s.All() {
			if err != nil {
				return
			}
		}
		t.Error("no error")
	})
}
