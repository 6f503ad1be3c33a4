import { Root } from '../look/root.tsx'
import { startPage } from '../look/start.tsx'
import { Gallery } from './gallery.tsx'

startPage(
  <Root>
    <Gallery />
  </Root>,
)
