// Writes .spz version 2 by spz-js, a compressed PLY by spz-js, and .ksplat by GaussianSplats3D: node foreign_fixtures.mjs PLYS OUT
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadPly, serializeCompressedPly, serializeSpz } from 'spz-js';

globalThis.window = globalThis;
const { PlyLoader } = await import('@mkkellogg/gaussian-splats-3d');
const [plys, out] = process.argv.slice(2);
const bytes = degree => readFileSync(join(plys, `sh${degree}.ply`));

for (const degree of [0, 1, 2, 3]) {
    const cloud = await loadPly(new Blob([bytes(degree)]).stream());
    writeFileSync(join(out, `spzjs_v2_sh${degree}.spz`), await serializeSpz(cloud));
    if (degree === 3) {
        writeFileSync(join(out, 'spzjs_sh3.compressed.ply'), serializeCompressedPly(cloud));
    }
}
for (const [level, degree] of [[0, 0], [0, 2], [1, 0], [1, 1], [1, 2], [2, 1], [2, 2]]) {
    const file = bytes(degree === 0 ? 0 : degree);
    const content = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
    const scene = await PlyLoader.loadFromFileData(content, 0, level, true, degree);
    writeFileSync(join(out, `splats3d_level${level}_sh${degree}.ksplat`), new Uint8Array(scene.bufferData));
}
