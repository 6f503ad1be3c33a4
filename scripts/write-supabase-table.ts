/** Writes docs/guides/cloud/supabase-js.md and its Persian twin; a test holds them against the installed client. */
import { writeFileSync } from 'node:fs'
import { guide } from '../tests/cloud/supabase-js/guide.ts'

const folder = new URL('../docs/guides/cloud/', import.meta.url)
writeFileSync(new URL('supabase-js.md', folder), guide('en'))
writeFileSync(new URL('supabase-js.fa.md', folder), guide('fa'))
// The clients that were asked for their methods have timers.
process.exit(0)
