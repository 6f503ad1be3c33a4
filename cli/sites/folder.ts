/** The files of a folder, as they are published: what belongs to no website is left out and named. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { refuse } from '../command.ts'
import { sitePhrases as words } from './phrases.ts'

export interface FolderFile {
  /** The path in the site: relative, with `/` between folders, in NFC. */
  path: string
  /** The path on this disk. */
  source: string
  bytes: number
  /** Hexadecimal. */
  sha256: string
}

export interface Folder {
  files: FolderFile[]
  bytes: number
  /** Entries that begin with a dot. */
  leftOut: string[]
}

/** Servers take less by default; these bounds keep a wrong folder from being read for an hour. */
const maxFiles = 10_000
const maxBytes = 200_000_000
const dependencies = new Set(['node_modules', 'bower_components', 'jspm_packages'])

/** Reads the folder. Throws a refusal for one that is no folder of a website. */
export async function readFolder(root: string): Promise<Folder> {
  const isFolder = await stat(root).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) refuse('NO_FOLDER', words.noFolder(root))
  const folder: Folder = { files: [], bytes: 0, leftOut: [] }
  await readSubfolder(folder, root, '')
  if (!folder.files.some((file) => file.path === 'index.html')) refuse('NO_INDEX', words.noIndex(root))
  return folder
}

async function readSubfolder(folder: Folder, root: string, below: string): Promise<void> {
  const entries = await readdir(path.join(root, below), { withFileTypes: true })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const source = path.join(root, below, entry.name)
    const inSite = (below === '' ? entry.name : `${below}/${entry.name}`).normalize('NFC')
    if (entry.name.startsWith('.') && inSite !== '.well-known') folder.leftOut.push(inSite)
    else if (dependencies.has(entry.name)) refuse('DEPENDENCIES', words.dependencies(inSite))
    else if (entry.isDirectory())
      await readSubfolder(folder, root, below === '' ? entry.name : `${below}/${entry.name}`)
    // A link may lead anywhere on this machine, and everybody could read the file there.
    else if (!entry.isFile()) refuse('NO_FILE', words.noFile(inSite))
    else await addFile(folder, source, inSite)
  }
}

async function addFile(folder: Folder, source: string, inSite: string): Promise<void> {
  const { size } = await stat(source)
  folder.bytes += size
  if (folder.files.length >= maxFiles || folder.bytes > maxBytes) refuse('FOLDER_TOO_LARGE', words.tooLarge())
  folder.files.push({ path: inSite, source, ...(await hashFile(source)) })
}

async function hashFile(source: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(source)) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}
