/** A process that has claims until it is killed: the folder and what it claims are its arguments. */
import { Claims } from '../../../src/cloud/databases/local/claims.ts'

const [root = '', ...refs] = process.argv.slice(2)
const claims = new Claims(root, { tools: { flock: '/usr/bin/flock' }, limitBytes: 10 })
for (const ref of refs) await claims.take(ref, 1)
process.stdout.write('taken\n')
await new Promise(() => setInterval(() => undefined, 1_000))
