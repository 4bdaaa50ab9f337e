package csvout

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

// fill sets each text in a value, in lists of one and maps of one too, and each number, boolean and time.
func fill(v reflect.Value, text func() string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text())
	case reflect.Interface:
		if v.NumMethod() == 0 { // any; exchanges, with a Body, are in no table
			v.Set(reflect.ValueOf(text()))
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(rand.Int64N(1 << 40))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), text)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, text)
		fill(value, text)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(noon.UTC()))
		}
		for _, field := range v.Fields() {
			if field.CanSet() {
				fill(field, text)
			}
		}
	default: // uint8
	}
}

// No cell with text from a site is a formula or has control characters, with commas or semicolons
// as separators.
func TestNoCellIsAFormula(t *testing.T) {
	const bad = "=1+1;=2\r\n\u009b\t;@SUM(1)"
	found := new(output.Results)
	fill(reflect.ValueOf(found).Elem(), func() string { return bad })
	dir := t.TempDir()
	s := sinktest.Open(t, Format(nil), dir, nil)
	sinktest.Put(t, s, found)
	sinktest.Close(t, s)
	for file, texts := range map[string]int{PagesFile: 22, RejectedFile: 8, LinksFile: 5, ResourcesFile: 2, SitemapsFile: 5, EntriesFile: 2, ChecksFile: 11, PermissionsFile: 6} {
		rows, err := csv.NewReader(bytes.NewReader(readFile(t, filepath.Join(dir, file)))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for i, cell := range rows[1] {
			if rows[0][i] == "directives" { // which is made tame so that it still says the same
				var list []output.Directive
				if err := json.Unmarshal([]byte(cell), &list); err != nil || len(list) != 1 || list[0].Rule != bad {
					t.Errorf("%q is read as %q, %v", cell, list, err)
				}
			}
			if strings.Contains(cell, "1+1") {
				found++
			}
			for part := range strings.SplitSeq(cell, ";") {
				if strings.IndexAny(strings.TrimLeft(part, ` "`), "=+-@") == 0 || strings.ContainsFunc(part, unicode.IsControl) {
					t.Errorf("%s: %s holds %q", file, rows[0][i], cell)
				}
			}
		}
		if found != texts {
			t.Errorf("%s has %d cells of the site, want %d", file, found, texts)
		}
	}
}
