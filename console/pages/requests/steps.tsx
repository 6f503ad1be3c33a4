import { type ReactNode, useState } from 'react'
import { LinkButton } from '../../pieces/button.tsx'
import { cleanName } from '../../words/clean-name.ts'
import { formatMicrocredits, formatNumber } from '../../words/digits.ts'
import { Id } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { chargeWords } from './charge.words.ts'
import type { Step } from './details.ts'
import styles from './requests.module.css'

const most = 6

/** Steps of work without a plan have numbers for names. */
const isNumbered = (name: string): boolean => /^[0-9]{1,6}$/.test(name)

/** The steps of durable work or of a voice call, each with its cost. */
export function Steps({ steps }: { steps: readonly Step[] }): ReactNode {
  const words = useWords(chargeWords)
  const locale = useLocale()
  const [isWhole, setWhole] = useState(false)
  if (steps.length === 0) return null
  const isCut = steps.length > most
  const number = (value: number): string => formatNumber(locale, value)
  return (
    <section className={styles['part']} aria-label={words.steps}>
      <h3>{words.steps}</h3>
      <ol className={styles['steps']} {...(isCut && isWhole && { 'data-scrolls': true, tabIndex: 0 })}>
        {(isWhole ? steps : steps.slice(0, most)).map((step, at) => (
          // Steps of an ended call never change their order.
          <li key={`${at}`}>
            <span className={styles['step']}>
              {isNumbered(step.name) ? (
                words.stepOf(number(Number(step.name)))
              ) : (
                <Id>{cleanName(step.name)}</Id>
              )}
              {step.count > 1 && <small>{words.stepCount(number(step.count))}</small>}
              {step.isAmbiguous && <small>{words.stepAmbiguous}</small>}
              {step.model !== undefined && (
                <small>
                  <Id>{cleanName(step.model)}</Id>
                </small>
              )}
            </span>
            <bdi dir="ltr">{formatMicrocredits(locale, step.microcredits)}</bdi>
          </li>
        ))}
      </ol>
      {isCut && (
        <div>
          <LinkButton aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? words.fewerLines : words.allSteps(number(steps.length))}
          </LinkButton>
        </div>
      )}
    </section>
  )
}
