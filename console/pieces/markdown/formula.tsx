import { type ReactNode, useEffect, useRef, useState } from 'react'
import { classes } from '../classes.ts'
import styles from './markdown.module.css'

/** A formula in TeX: its source until KaTeX is there, and where it cannot be drawn. */
export function Formula({
  source,
  isDisplay,
  isOpen = false,
}: {
  source: string
  isDisplay: boolean
  isOpen?: boolean
}): ReactNode {
  const place = useRef<HTMLSpanElement>(null)
  const [drawn, setDrawn] = useState<string>()
  useEffect(() => {
    if (isOpen) return
    let isCurrent = true
    const draw = async (): Promise<void> => {
      const { drawFormula } = await import('./draw-formula.ts')
      if (isCurrent && place.current && drawFormula(source, place.current, isDisplay)) setDrawn(source)
    }
    draw().catch(() => {})
    return () => {
      isCurrent = false
    }
  }, [source, isDisplay, isOpen])
  const isDrawn = drawn === source
  return (
    <span
      dir="ltr"
      className={classes(styles['formula'], isDisplay && styles['display'])}
      {...(isDisplay && { tabIndex: 0, role: 'group', 'aria-label': source })}
    >
      {!isDrawn && <code>{source}</code>}
      <span ref={place} hidden={!isDrawn} />
    </span>
  )
}
