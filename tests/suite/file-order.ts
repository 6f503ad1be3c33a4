import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { randomFrom } from '../harness/random.ts'
import { longest } from './files.ts'

/** The files that are named first; with `--sequence.shuffle.tests` the files are shuffled too, by the printed seed. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { sequence, root } = this.ctx.config
    if (sequence.shuffle) return shuffled(files, sequence.seed)
    const place = ({ moduleId }: TestSpecification): number => {
      const at = longest.indexOf(path.relative(root, moduleId))
      return at < 0 ? longest.length : at
    }
    const bySize = await super.sort(files)
    return bySize.sort((one, other) => place(one) - place(other))
  }
}

/** Fisher and Yates. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const order = [...items]
  const next = randomFrom(seed)
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.floor(next() * (at + 1))
    ;[order[at], order[other]] = [order[other]!, order[at]!]
  }
  return order
}
