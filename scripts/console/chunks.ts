/** What each entry and chunk of a build loads, for the tests of size. */
import path from 'node:path'
import type { Rolldown } from 'vite'
import { type BuiltChunk, ownRoot } from '#account/console-build'

type Output = Rolldown.RolldownOutput['output']
type Chunk = Extract<Output[number], { type: 'chunk' }>

const sourceOf = (module: string): string =>
  path.relative(ownRoot, module.replace(/\?.*$/, '')).replaceAll(path.sep, '/')

/** Entries and chunks that are loaded later, by the path of their source from the root of the repository. */
export function chunksOf(output: Output): Record<string, BuiltChunk> {
  const chunks = output.filter((one): one is Chunk => one.type === 'chunk')
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const withImports = (chunk: Chunk, known = new Set<Chunk>()): Set<Chunk> => {
    if (known.has(chunk)) return known
    known.add(chunk)
    for (const name of chunk.imports) {
      const imported = byName.get(name)
      if (imported) withImports(imported, known)
    }
    return known
  }
  const stylesOf = (chunk: Chunk): string[] => [...(chunk.viteMetadata?.importedCss ?? [])]
  const shortName = (fileName: string): string => fileName.slice('assets/'.length)
  return Object.fromEntries(
    chunks
      .filter(({ facadeModuleId }) => facadeModuleId)
      .map((chunk) => {
        const loaded = [...withImports(chunk)]
        return [
          sourceOf(chunk.facadeModuleId!),
          {
            loads: [...new Set(loaded.flatMap((one) => [one.fileName, ...stylesOf(one)]).map(shortName))],
            later: loaded
              .flatMap((one) => one.dynamicImports)
              .flatMap((name) => byName.get(name)?.facadeModuleId ?? [])
              .map(sourceOf),
          },
        ]
      }),
  )
}
