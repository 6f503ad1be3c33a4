/** Folders of this machine: where a folder lies, and files that are replaced as a whole. */
import { readFile, realpath, stat } from 'node:fs/promises'
import path from 'node:path'

export { replaceFile } from './replace-file.ts'

/** The place of a folder. Device and inode tell whether two paths lead to one folder; a copy has its own. */
export interface FolderLocation {
  path: string
  device: string
  inode: string
  /** The machine's id; null if it has none, as in many containers. */
  machine: string | null
}

const machineFiles = ['/etc/machine-id', '/var/lib/dbus/machine-id']

/** The place of a folder that exists. */
export async function folderLocation(folder: string): Promise<FolderLocation> {
  const real = await realpath(path.resolve(folder))
  const { dev, ino } = await stat(real, { bigint: true })
  return { path: real, device: String(dev), inode: String(ino), machine: await machineId() }
}

/** True if the path now leads to the folder, whatever the folder was called before. */
export async function isSameFolder(name: string, { device, inode }: FolderLocation): Promise<boolean> {
  const about = await stat(name, { bigint: true }).catch(() => undefined)
  return about !== undefined && String(about.dev) === device && String(about.ino) === inode
}

async function machineId(): Promise<string | null> {
  for (const file of machineFiles) {
    const text = await readFile(file, 'utf8').catch(() => '')
    // A system that has not been started yet has `uninitialized` there.
    if (/^[0-9a-f]{32}$/.test(text.trim())) return text.trim()
  }
  return null
}
