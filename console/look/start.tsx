/** Starts a page: language and scheme are set before anything is drawn, so that nothing jumps. */
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startLocale } from '../words/locale.ts'
import './tokens.css'
import './base.css'
import { startScheme } from './scheme.ts'

export function startPage(page: ReactNode): void {
  startLocale()
  startScheme()
  createRoot(document.getElementById('root')!).render(<StrictMode>{page}</StrictMode>)
}
