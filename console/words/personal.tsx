/** Pieces for what strangers wrote and for technical names, which keep their direction in any sentence. */
import type { ReactNode } from 'react'
import { Unseen } from '../pieces/unseen.tsx'
import { cleanName } from './clean-name.ts'
import { formatFull, formatMoment } from './dates.ts'
import { directionOfText } from './direction.ts'
import { useLocale } from './use-words.ts'

/** A name, a title or another text of a person, with its own direction. */
export const Name = ({ children }: { children: string }): ReactNode => <bdi>{cleanName(children)}</bdi>

/** An id, an address, the name of a model: monospaced, from left to right. */
export const Id = ({ children, title }: { children: string; title?: string }): ReactNode => (
  <code dir="ltr" {...(title !== undefined && { title })}>
    {children}
  </code>
)

/** An address of mail or of the web in the font of the text, from left to right. */
export const Ltr = ({ children }: { children: string }): ReactNode => <bdi dir="ltr">{children}</bdi>

/** The name of a file: its stem has a direction of its own, the extension stands after it. */
export function FileName({ children }: { children: string }): ReactNode {
  const at = children.lastIndexOf('.')
  const stem = cleanName(children.slice(0, at))
  if (at <= 0) return <Name>{children}</Name>
  return (
    <bdi dir={directionOfText(stem, 'ltr')}>
      <bdi>{stem}</bdi>
      <bdi dir="ltr">{cleanName(children.slice(at))}</bdi>
    </bdi>
  )
}

/** A moment: a clock for today, else a day; the whole of it on hover and for screen readers. */
export function Moment({ at, now = new Date() }: { at: string; now?: Date }): ReactNode {
  const locale = useLocale()
  const moment = new Date(at)
  const full = formatFull(locale, moment)
  return (
    <time dateTime={at} title={full}>
      <span aria-hidden="true">{formatMoment(locale, moment, now)}</span>
      <Unseen>{full}</Unseen>
    </time>
  )
}
