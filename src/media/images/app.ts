import type { Svgs } from '#core/media'
import type { PaidApp } from '#core/paid'

/** The slice of the app that paid pictures use. */
export interface ImagesApp extends PaidApp {
  /** Cleans and draws untrusted SVG. */
  svgs: Svgs
}
