/** One change of the code that breaks a guarantee, and the test file that has to notice it. */
export interface Mutation {
  /** From the root of the repository, with `/` between folders. */
  file: string
  /** Stands exactly once in the file. */
  find: string
  /** What stands there in its place while the test runs. */
  replace: string
  /** What no longer holds with it, as a sentence. */
  breaks: string
  /** The test file that turns red, from the root of the repository. */
  test: string
  suite: Suite
}

/** The suite that the test file belongs to; `quick` is a part of `test`. */
export type Suite = 'quick' | 'test' | 'campaign'

/** A change of a file: the text, what stands there instead, what no longer holds, and the name of the test that notices it. */
export type Change<Name extends string> = readonly [find: string, replace: string, breaks: string, test: Name]

/** Makes mutations of one file, of changes that name one of these test files of `npm test`. */
export const mutationsBy =
  <Name extends string>(tests: Readonly<Record<Name, string>>) =>
  (file: string, ...changes: readonly Change<Name>[]): Mutation[] =>
    changes.map(([find, replace, breaks, test]) => ({
      ...{ file, find, replace, breaks },
      ...{ test: tests[test], suite: 'test' },
    }))

/** A drawn mutation that no test has to notice, and why. */
export interface Survivor extends Pick<Mutation, 'file' | 'find' | 'replace'> {
  reason: string
}

/** What is wrong with a mutation as it stands in the list, given the text of its file; undefined where nothing is. */
export function rotten(
  { find, replace }: Pick<Mutation, 'find' | 'replace'>,
  code: string,
): string | undefined {
  const times = code.split(find).length - 1
  if (times !== 1) return `its text stands ${times} times in the file, not once`
  if (find === replace) return 'it changes nothing'
  return undefined
}

/** The text of the file with the mutation in it. Throws where `rotten` finds something. */
export function mutated(mutation: Pick<Mutation, 'file' | 'find' | 'replace'>, code: string): string {
  const why = rotten(mutation, code)
  if (why) throw new Error(`${mutation.file}: ${why}: ${mutation.find}`)
  return code.replace(mutation.find, () => mutation.replace)
}
