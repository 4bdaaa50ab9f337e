// Package flags has the table of the flags that commands which crawl share. A row has the name, which
// is also the key in a configuration file, the field that it sets, its text in the help, and its
// traits.
package flags

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/logging"
	"github.com/politecrawl/politecrawl/crawler"
)

// Values are what the flags set.
type Values struct {
	Config crawler.Config
	Log    logging.Config
	Listen Listen

	URLFile  string // --url-file
	File     string // --config
	Resume   string
	Recrawl  string
	Continue bool
	Audit    bool
}

// Listen configures the live page.
type Listen struct {
	Addr  string // empty means no live page
	Token string
	Pprof bool
}

// New returns the defaults.
func New() *Values {
	return &Values{Config: crawler.Default(), Log: logging.Default()}
}

// A Row is one flag. To add a flag, add its row to the table, and the field that it sets.
type Row struct {
	Group string // the heading in the help
	Name  string
	Short string // the flag in one letter, if it has one
	Old   string // an old name of the flag and its key, which still works
	Field any    // a pointer to the field, which has the default, or a pflag.Value
	Bare  string // the value if the flag has none; without it the flag needs one, unless it is true or false
	Is    Trait
	Usage string

	Flag *pflag.Flag // also parses values of the environment and of a file
}

// A Trait is what is special about a row. Traits can be combined.
type Trait int

// The traits.
const (
	Rare        Trait = 1 << iota // only --help-all shows it
	FlagOnly                      // it is no key
	KeyOnly                       // it is no flag: the arguments set it
	Commas                        // a list whose values can be separated by commas
	Lines                         // a list whose values may contain spaces: in the environment each is a line
	LongDefault                   // the default is too long for the help; the usage says it
	Secret                        // a list of texts with secrets, which a crawl stores masked
	ThisRun                       // a key that is not stored with the crawl
	Locates                       // locates a shared crawl
	NoPlan                        // plan accepts it, and it changes nothing there
	Resumes                       // only crawl has it: it names an earlier crawl
	Runs                          // only commands that run a crawl have it
)

// Names of rows that other packages use.
const (
	AllowAddr   = "allow-addr"
	BasicAuth   = "basic-auth"
	ListenToken = "listen-token"
)

// TokenVariable is the environment variable for --listen-token, which other users of the
// machine cannot see.
const TokenVariable = "POLITECRAWL_LISTEN_TOKEN"

// Rows returns all rows, bound to v, in the order of the help.
func (v *Values) Rows() []Row {
	rows := v.rows()
	for i := range rows {
		rows[i].Flag = rows[i].newFlag()
		if rows[i].Group == "" {
			rows[i].Group = rows[i-1].Group
		}
	}
	return rows
}

// Has reports whether a row has one of some traits.
func (r *Row) Has(traits Trait) bool { return r.Is&traits != 0 }

// newFlag returns the flag of a row.
func (r *Row) newFlag() *pflag.Flag {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	switch p := r.Field.(type) {
	case *string:
		fs.StringVarP(p, r.Name, r.Short, *p, r.Usage)
	case *bool:
		fs.BoolVarP(p, r.Name, r.Short, *p, r.Usage)
	case *int:
		fs.IntVarP(p, r.Name, r.Short, *p, r.Usage)
	case *int64:
		fs.Int64VarP(p, r.Name, r.Short, *p, r.Usage)
	case *float64:
		fs.Float64VarP(p, r.Name, r.Short, *p, r.Usage)
	case *time.Duration:
		fs.DurationVarP(p, r.Name, r.Short, *p, r.Usage)
	case *[]string:
		add := fs.StringArrayVarP
		if r.Has(Commas) {
			add = fs.StringSliceVarP
		}
		add(p, r.Name, r.Short, *p, r.Usage)
	case pflag.Value:
		fs.VarP(p, r.Name, r.Short, r.Usage)
	}
	f := fs.Lookup(r.Name)
	if r.Bare != "" {
		f.NoOptDefVal = r.Bare
	}
	if r.Has(LongDefault) {
		f.DefValue = ""
		if _, isList := f.Value.(pflag.SliceValue); isList {
			f.DefValue = "[]"
		}
	}
	return f
}

// Add adds the flags of all rows with a trait to fs.
func (v *Values) Add(fs *pflag.FlagSet, with Trait) {
	for _, r := range v.Rows() {
		if r.Has(with) {
			fs.AddFlag(r.Flag)
		}
	}
}

// Add adds the flag of one row to fs, for another field and without its one letter. The field gets
// the default.
func Add[T any](fs *pflag.FlagSet, name string, field *T) {
	rows := New().rows()
	r := rows[slices.IndexFunc(rows, func(r Row) bool { return r.Name == name })]
	*field, r.Field, r.Short = *r.Field.(*T), field, ""
	fs.AddFlag(r.newFlag())
}

// A wordsValue is a text. The help shows its valid words as its type; the crawler checks it.
type wordsValue[T ~string] struct {
	field *T
	words string
}

func words[T ~string](field *T, list string) pflag.Value { return wordsValue[T]{field, list} }

// String implements pflag.Value.
func (v wordsValue[T]) String() string { return string(*v.field) }

// Type implements pflag.Value.
func (v wordsValue[T]) Type() string { return v.words }

// Set implements pflag.Value. If true and false are valid words, it accepts every spelling of them.
func (v wordsValue[T]) Set(text string) error {
	if on, err := strconv.ParseBool(text); err == nil && strings.HasPrefix(v.words, "true|") {
		text = strconv.FormatBool(on)
	}
	*v.field = T(text)
	return nil
}
