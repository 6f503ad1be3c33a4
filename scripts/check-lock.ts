/**
 * `npm run check` holds package-lock.json to two rules: every package is pinned by its hash, so that no registry or mirror can hand out
 * other bytes, and none names where it came from, so that `npm ci` asks whatever registry the machine has.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'

interface Locked {
  name?: string
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
}

const lockFile = path.resolve(import.meta.dirname, '../package-lock.json')

/** What is wrong with the text of a package-lock.json, a sentence for each package. */
export function faultsOfLock(text: string): string[] {
  const { packages = {} } = JSON.parse(text) as { packages?: Record<string, Locked> }
  // The entry without a name is the project itself.
  return Object.entries(packages).flatMap(([place, locked]) => (place === '' ? [] : faultsOf(place, locked)))
}

function faultsOf(place: string, { name, version, resolved, integrity, link }: Locked): string[] {
  const faults: string[] = []
  // npm leaves the hash out of what it finds installed already.
  const asked = `${name ?? place.split('node_modules/').at(-1)}@${version}`
  if (!link && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''))
    faults.push(`${place} has no sha512 integrity: write what \`npm view ${asked} dist.integrity\` says.`)
  if (resolved !== undefined)
    faults.push(`${place} names where it came from: take "resolved" away; .npmrc keeps npm from writing it.`)
  return faults
}

if (import.meta.main) {
  const faults = faultsOfLock(readFileSync(lockFile, 'utf8'))
  if (faults.length > 0) {
    process.stderr.write(`package-lock.json\n${faults.map((fault) => `  ${fault}\n`).join('')}`)
    process.exit(1)
  }
}
