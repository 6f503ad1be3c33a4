import type { ModelRequestApp } from '#core/text'
import type { ImagesApp } from '#media/images'
import { routesOf } from '#platform/http'

/** The slice of the app that responses use. */
export interface ResponsesApp extends ModelRequestApp {
  /** Draws the pictures of image models. */
  images: ImagesApp
}

export const route = routesOf<ResponsesApp>()
