import type { Localized } from '#platform/errors'
import type { PathFault } from './path.ts'

/** What is wrong with a publication; plain values, since a thread reports it. */
export type Problem = { param: string } & (
  | {
      kind:
        | 'unknown'
        | 'missing'
        | 'twice'
        | 'nameUnreadable'
        | 'notUuid'
        | 'notBase64'
        | 'notHash'
        | 'contentOrHash'
    }
  | { kind: 'notKept' | 'notPublic' | 'noIndex' | 'rulesByHash' | 'rulesNotUtf8' | 'encodingAlone' }
  | { kind: 'type'; wanted: 'string' | 'boolean' | 'object' | 'list' }
  | { kind: 'mustBe'; value: string }
  | { kind: 'length'; most: number }
  | { kind: 'tooMany' | 'fileTooLarge' | 'allTooLarge'; most: number }
  | { kind: 'path'; fault: PathFault; path: string | undefined }
  | { kind: 'sameFile' | 'alsoFolder'; path: string; other: string }
  | { kind: 'rule'; line: number; why: Localized }
)

/** Thrown where nothing that follows can be understood. */
export class InvalidPublication extends Error {
  override name = 'Wrong'
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.kind)
    this.problem = problem
  }
}
