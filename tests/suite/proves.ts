/** What each campaign folder says of itself in its `proves.ts`. */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { campaignFolders, root } from './suites.ts'

export interface Proves {
  /** Minutes by the clock that the folder takes alone on the reference. */
  minutes: number
  /** The rooms of src whose change makes this folder owed: `src/platform/ledger`. */
  rooms: readonly string[]
  /** Other paths and globs whose change makes it owed: migrations, scripts, files of tests/harness. */
  files: readonly string[]
  /** What it proves, a sentence for each guarantee. */
  guarantees: readonly string[]
}

export interface CampaignFolder extends Proves {
  name: string
}

export async function readCampaign(): Promise<CampaignFolder[]> {
  return Promise.all(campaignFolders().map(readFolder))
}

async function readFolder(name: string): Promise<CampaignFolder> {
  const file = path.join(root, 'tests/campaign', name, 'proves.ts')
  const { proves } = (await import(pathToFileURL(file).href)) as { proves: Proves }
  return { name, ...proves }
}

/**
 * Whether a change of the file at `changed` makes the folder owed. What a folder says of itself is none of its tests, and tests elsewhere are
 * none of what it proves.
 */
export function isProvenBy(folder: CampaignFolder, changed: string): boolean {
  const own = `tests/campaign/${folder.name}/`
  if (changed.startsWith(own)) return changed !== `${own}proves.ts`
  if (changed.endsWith('.test.ts')) return false
  return (
    folder.rooms.some((room) => changed.startsWith(`${room}/`)) ||
    folder.files.some((pattern) => path.matchesGlob(changed, pattern))
  )
}
