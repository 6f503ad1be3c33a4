import { type Arrow, arrowsOf, isGlanceAtApp, refusalOf } from './arrows.ts'
import { circlesOf, tellCircle } from './circles.ts'
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
  return [
    ...arrows.flatMap(refused),
    ...circleOffences(arrows.filter((arrow) => !isGlanceAtApp(arrow))),
    ...nounOffences(sources, nouns, exceptions),
  ]
}

function refused(arrow: Arrow): string[] {
  const refusal = refusalOf(arrow)
  return refusal === undefined ? [] : [`${arrow.file}:${arrow.line} imports ${arrow.specifier}: ${refusal}`]
}

/** A circle at run time is one by types too, and is told once. */
function circleOffences(arrows: readonly Arrow[]): string[] {
  const atRunTime = circlesOf(arrows.filter(({ isTypeOnly }) => !isTypeOnly))
  const told = new Set(atRunTime.flat().map(({ from }) => from))
  const byTypes = circlesOf(arrows).filter((circle) => !circle.every(({ from }) => told.has(from)))
  return [
    ...atRunTime.map((circle) => tellCircle(circle, 'at run time')),
    ...byTypes.map((circle) => tellCircle(circle, 'by types')),
  ]
}
