import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'

/** A folder for one piece of confined work. */
export interface Scratch {
  path: string
  /** The maximum bytes of all files in the folder. */
  bytes: number
}

/** Interval of the measurements; between two of them the limit may be exceeded. */
const lookEveryMs = 200

/** Measures the folder until disposed; when it exceeds its limit, `tell` is called once and `beyond` stays true. */
export function watchScratch(
  scratch: Scratch | undefined,
  tell: () => void,
): Disposable & { readonly beyond: boolean } {
  let beyond = false
  let timer: NodeJS.Timeout | undefined
  let ended = scratch === undefined
  const look = async (folder: Scratch) => {
    if ((await bytesIn(folder.path)) > folder.bytes && !ended) {
      beyond = true
      tell()
    } else if (!ended) timer = setTimeout(look, lookEveryMs, folder)
  }
  if (scratch) timer = setTimeout(look, lookEveryMs, scratch)
  return {
    get beyond() {
      return beyond
    },
    [Symbol.dispose]() {
      ended = true
      clearTimeout(timer)
    },
  }
}

/** Adds up the bytes of all files. Files may be deleted meanwhile. */
async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(path.join(entry.parentPath, entry.name)).then(
        ({ size, blocks }) => Math.min(size, blocks * 512),
        () => 0,
      ),
    )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
