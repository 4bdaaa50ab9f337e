package robotstxt

// Sizes of the parts of a File on a 64-bit machine, with a quarter more for slices
// that have grown. TestSize measures them.
const (
	fileBytes      = 512
	blockBytes     = 360 // with its ruleset and the headers of its compiled rules
	groupBytes     = 100 // with a merged ruleset
	nameBytes      = 16  // a name without its text, which belongs to the file
	indexBytes     = 28  // of a name in the index of many names
	extensionBytes = 64  // without the agents, which the extensions of a group share
	parsedBytes    = 400 // of an extension with a cached value
	findingBytes   = 40
	sitemapBytes   = 24
	lineBytes      = 16  // of a rule that is not compiled
	ruleBytes      = 120 // of a compiled rule
	wildBytes      = 84  // in addition for a rule with a star before its end
	mentionBytes   = 8
)

// Size estimates the memory of the file in bytes: its text, the parsed lines, and the
// compiled rules of all groups. Groups are compiled when first used, but the estimate
// includes them from the start, so it never changes and a cache can rely on it. It
// assumes a few crawlers. Where groups overlap, each agent has merged rules of its
// own, which are not included; for thousands of agents see Group.Count.
func (f *File) Size() int {
	if f.size.Load() == 0 {
		f.size.Store(int64(f.estimate()))
	}
	return int(f.size.Load())
}

func (f *File) estimate() int {
	n := fileBytes + len(f.text) + lineBytes*cap(f.rules) +
		blockBytes*len(f.blocks) + mentionBytes*len(f.mentions) +
		(groupBytes+nameBytes)*len(f.groups) + indexBytes*len(f.names.index) +
		sitemapBytes*len(f.Sitemaps) + findingBytes*len(f.Findings) + extensionBytes*len(f.Extensions)
	for _, s := range f.Sitemaps {
		n += len(s.URL)
	}
	for _, x := range f.Findings {
		n += len(x.Text)
	}
	for i := range f.blocks {
		if b := &f.blocks[i]; b.extensions.lo < b.extensions.hi {
			n += nameBytes * int(b.mentions.hi-b.mentions.lo)
		}
	}
	for i := range f.Extensions {
		if e := &f.Extensions[i]; equalFold(e.Field, "content-usage") || equalFold(e.Field, "content-signal") || equalFold(e.Field, "clean-param") {
			n += parsedBytes + 10*len(e.Value)
		}
	}
	for _, r := range f.rules {
		n += compiledBytes(r.value.of(f.text))
	}
	return n
}

// compiledBytes estimates the memory of one compiled rule.
func compiledBytes(pattern string) int {
	n, escapes, forms, wild := ruleBytes, 0, 0, 0
	for i := 0; i < len(pattern); i++ {
		switch b := pattern[i]; {
		case b == '*' && i < len(pattern)-1:
			wild = wildBytes
		case class[b]&(escaped|illegal) != 0:
			escapes++
			forms |= 1
		case b == '%' || b == '$' && i < len(pattern)-1:
			forms |= 1
		case b == '?':
			forms |= 2 // a second form of its own
		}
	}
	if forms != 0 || wild != 0 { // it may also be in the index of queries
		n += ruleBytes/3 + wild
	}
	if forms&1 != 0 {
		n += len(pattern) + 2*escapes
	}
	if forms&2 != 0 {
		n += len(pattern) + 2*escapes
	}
	return n + wild
}
