import { type ReactNode, useState } from 'react'
import { Badge } from '../../pieces/badge.tsx'
import { LinkButton } from '../../pieces/button.tsx'
import { formatCode } from '../../spending/result.ts'
import { cleanName } from '../../words/clean-name.ts'
import { formatMicrocredits, formatNumber } from '../../words/digits.ts'
import { Id } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { chargeWords } from './charge.words.ts'
import { type Attempt, type Details, endOfAttempts, failedAttempts } from './details.ts'
import styles from './requests.module.css'

/** More attempts are shown by a press; the first and the last ones say most. */
const ends = 2
const most = 2 * ends

interface AttemptsProps {
  details: Details
  isPending: boolean
}

/** The attempts one below the other, each with a bar where it stands on the line of time. The bars run with the reading and are drawn for the eye alone. */
export function Attempts({ details, isPending }: AttemptsProps): ReactNode {
  const words = useWords(chargeWords)
  const locale = useLocale()
  const [isWhole, setWhole] = useState(false)
  const { attempts } = details
  if (attempts.length === 0) return null
  const endMs = endOfAttempts(details)
  const isCut = attempts.length > most
  const number = formatNumber(locale, attempts.length)
  const numbered = attempts.map((attempt, at) => ({ attempt, at }))
  const shown = isCut && !isWhole ? [...numbered.slice(0, ends), ...numbered.slice(-ends)] : numbered
  const areSteps = failedAttempts(details) === 0
  return (
    <section className={styles['part']} aria-label={areSteps ? words.asked : words.attempts}>
      {attempts.length > 1 && <h3>{areSteps ? words.askedOf(number) : words.attemptsOf(number)}</h3>}
      <ol className={styles['attempts']} {...(isCut && isWhole && { 'data-scrolls': true, tabIndex: 0 })}>
        {shown.map(({ attempt, at }, position) => (
          <li key={at} value={at + 1} {...(at !== position && position === ends && { 'data-gap': true })}>
            <OneAttempt
              attempt={attempt}
              endMs={endMs}
              isPending={isPending}
              isAlone={attempts.length === 1}
            />
          </li>
        ))}
      </ol>
      {isCut && (
        <div>
          <LinkButton aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? words.fewerAttempts : areSteps ? words.allAsked(number) : words.allAttempts(number)}
          </LinkButton>
        </div>
      )}
    </section>
  )
}

interface OneAttemptProps {
  attempt: Attempt
  endMs: number
  isPending: boolean
  isAlone: boolean
}

function OneAttempt({ attempt, endMs, isPending, isAlone }: OneAttemptProps): ReactNode {
  const words = useWords(chargeWords)
  const locale = useLocale()
  const { deployment, outcome, status, startedMs, firstPartMs, endedMs, microcredits, isResumed } = attempt
  const seconds = (ms: number): string =>
    ms < 10
      ? words.instant(formatNumber(locale, 0.01, { most: 2 }))
      : formatNumber(locale, ms / 1_000, { most: ms < 10_000 ? 2 : 1 })
  const kind = outcome === 'answered' ? 'good' : outcome === 'running' && isPending ? 'running' : 'failure'
  const times = [
    startedMs > 0 && !isAlone && words.after(seconds(startedMs)),
    // An answer that comes whole has no first token before its end.
    firstPartMs !== undefined &&
      firstPartMs !== endedMs &&
      words.firstToken(seconds(firstPartMs - startedMs)),
    endedMs !== undefined && words.took(seconds(endedMs - startedMs)),
    microcredits !== undefined &&
      (microcredits === 0n ? words.freeAttempt : words.costOf(formatMicrocredits(locale, microcredits))),
  ].filter((time) => time !== false)
  return (
    <div className={styles['attempt']}>
      <div className={styles['line']}>
        <Id>{cleanName(deployment)}</Id>
        <span className={styles['outcome']} data-kind={kind}>
          {words.outcomes[outcome] ?? words.otherOutcome}
          {status !== undefined && outcome !== 'answered' && ` · ${formatCode(locale, status)}`}
        </span>
        {isResumed && <Badge>{words.resumedBadge}</Badge>}
      </div>
      <Bar attempt={attempt} endMs={endMs} kind={kind} />
      {times.length > 0 && <div className={styles['times']}>{times.join(' · ')}</div>}
    </div>
  )
}

const percent = (part: number): string => `${Math.min(100, Math.max(0, part * 100)).toFixed(2)}%`

/** From its beginning to its end; paler until the first token. */
function Bar({
  attempt: { startedMs, firstPartMs, endedMs },
  endMs,
  kind,
}: {
  attempt: Attempt
  endMs: number
  kind: 'good' | 'failure' | 'running'
}): ReactNode {
  const until = endedMs ?? endMs
  const length = Math.max(0, until - startedMs)
  return (
    <div className={styles['track']} aria-hidden="true">
      <div
        className={styles['span']}
        data-kind={kind}
        style={{ insetInlineStart: percent(startedMs / endMs), inlineSize: percent(length / endMs) }}
      >
        {firstPartMs !== undefined && firstPartMs < until && (
          <div
            className={styles['wait']}
            style={{ inlineSize: percent((firstPartMs - startedMs) / length) }}
          />
        )}
      </div>
    </div>
  )
}
