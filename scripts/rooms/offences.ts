import { type Arrow, arrowsOf, refusalOf } from './arrows.ts'
import { circlesOf, describeCircle } from './circles.ts'
import { nounOffences } from './find-nouns.ts'
import type { NounException } from './nouns.ts'
import type { SourceFile } from './source.ts'

/** What is wrong with the rooms of these sources, a sentence each: ways past doors, arrows that point up, circles, nouns of the product. */
export function roomOffences(
  sources: readonly SourceFile[],
  nouns: readonly string[] = [],
  exceptions: readonly NounException[] = [],
): string[] {
  const arrows = arrowsOf(sources)
  return [...arrows.flatMap(refused), ...circleOffences(arrows), ...nounOffences(sources, nouns, exceptions)]
}

function refused(arrow: Arrow): string[] {
  const refusal = refusalOf(arrow)
  return refusal === undefined ? [] : [`${arrow.file}:${arrow.line} imports ${arrow.specifier}: ${refusal}`]
}

/** A circle at run time is one by types too, and is reported once. */
function circleOffences(arrows: readonly Arrow[]): string[] {
  const atRunTime = circlesOf(arrows.filter(({ isTypeOnly }) => !isTypeOnly))
  const reported = new Set(atRunTime.flat().map(({ from }) => from))
  const byTypes = circlesOf(arrows).filter((circle) => !circle.every(({ from }) => reported.has(from)))
  return [
    ...atRunTime.map((circle) => describeCircle(circle, 'at run time')),
    ...byTypes.map((circle) => describeCircle(circle, 'by types')),
  ]
}
