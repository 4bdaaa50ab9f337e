package robotstxt

import "encoding/binary"

// AgentSets returns the names that the file has groups for, as Agents does, but
// together those for whom the same lines hold, because every group that names
// one of them names all. A file may name thousands of agents, each with
// thousands of rules, in a few groups: what holds for one of a set need not be
// asked again for the others.
func (f *File) AgentSets() [][]string {
	var sets [][]string
	at := map[string]int{} // by the blocks that name an agent
	var key []byte
	for i := range f.groups {
		key = key[:0]
		for _, b := range f.groups[i].blocks {
			key = binary.AppendUvarint(key, uint64(b))
		}
		set, ok := at[string(key)]
		if !ok {
			set = len(sets)
			at[string(key)] = set
			sets = append(sets, nil)
		}
		sets[set] = append(sets[set], f.groups[i].name)
	}
	return sets
}
