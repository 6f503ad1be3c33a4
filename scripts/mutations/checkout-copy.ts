import { rmSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Mutation, mutated, rotten } from './mutation.ts'

type Change = Pick<Mutation, 'file' | 'find' | 'replace'>

/** A copy of a checkout in which files may be broken; deleted when it is disposed. */
export interface CheckoutCopy extends AsyncDisposable {
  root: string
  /** Why the mutation cannot be applied; undefined where it can. */
  refusal(mutation: Change): Promise<string | undefined>
  /** Breaks one file of the copy until the answer is disposed. Throws where the text does not stand in it exactly once. */
  apply(mutation: Change): Promise<AsyncDisposable>
}

/** Within the checkout, and in nobody's way there: git, Biome, TypeScript and Vitest pass over it. */
const folderName = '.mutations'
const leftOut = ['node_modules', '.git', 'data', folderName]

/**
 * Copies, and does not link, because a test that writes into its tree would write through a hard link into the checkout. The copy lies below the
 * checkout, whose `node_modules` are then found from it by confined processes too, which see neither a link to them nor another folder.
 */
export async function copyCheckout(checkout: string): Promise<CheckoutCopy> {
  const folder = path.join(checkout, folderName)
  await mkdir(folder, { recursive: true })
  const root = await mkdtemp(`${folder}/`)
  const remove = (): void => rmSync(root, { recursive: true, force: true })
  process.once('exit', remove)
  // If this runs as root, PostgreSQL and confined processes run as other users, who must be able to traverse the folder.
  await chmod(root, 0o711)
  for (const name of await readdir(checkout))
    if (!leftOut.includes(name))
      await cp(path.join(checkout, name), path.join(root, name), { recursive: true })
  await symlink(path.join(checkout, 'node_modules'), path.join(root, 'node_modules'))
  return {
    root,
    async refusal(mutation) {
      const code = await readFile(path.join(root, mutation.file), 'utf8').catch(() => undefined)
      return code === undefined ? 'there is no such file' : rotten(mutation, code)
    },
    async apply(mutation) {
      const place = path.join(root, mutation.file)
      const code = await readFile(place, 'utf8')
      await writeFile(place, mutated(mutation, code))
      return { [Symbol.asyncDispose]: () => writeFile(place, code) }
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', remove)
      remove()
    },
  }
}
