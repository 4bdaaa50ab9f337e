package robotstxt

import "encoding/binary"

// AgentSets returns the names of Agents, grouped into sets. All names of a set have
// the same rules, because every group that names one of them names all of them. In a
// file with thousands of agents, a caller can check one name of each set.
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
