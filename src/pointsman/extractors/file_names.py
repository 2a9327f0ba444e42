"""Extensions that mean a file, and names with a dot that mean none."""

from __future__ import annotations

EXTENSIONS = frozenset(
    """
    pdf doc docx docm dot dotx odt rtf txt md markdown rst tex wps pages epub mobi azw3 chm djvu ofd caj
    xls xlsx xlsm xlsb xltx ods csv tsv et numbers ppt pptx pptm pps ppsx odp key dps vsd vsdx xmind mpp
    jpg jpeg png gif bmp tif tiff webp svg ico heic heif psd ai eps raw cr2 nef dng sketch fig xd drawio
    mp3 wav flac aac ogg oga m4a wma amr opus mid midi mp4 avi mkv mov wmv flv webm m4v mpg mpeg 3gp rmvb ts m3u8 srt ass vtt
    zip rar 7z tar gz tgz bz2 xz zst lz4 jar war iso dmg apk ipa exe msi deb rpm pkg appimage bin dll so dylib
    py pyi pyw ipynb js mjs cjs jsx tsx vue svelte html htm xhtml css scss sass less json jsonl json5 ndjson
    xml xsd xsl yaml yml toml
    ini cfg conf properties lock log sql db sqlite sqlite3 mdb accdb dbf bak dump c h cc cpp cxx hpp hxx cs java kt kts
    go rs rb php pl lua swift scala sh bash zsh bat cmd ps1 vbs r rmd jl dart ex exs erl hs clj asm s19 f90 vhd proto
    graphql gradle
    cmake tf tfvars parquet avro orc feather arrow npy npz pkl pickle h5 hdf5 mat sav dta onnx pt pth safetensors gguf ckpt
    pem crt cer csr p12 pfx jks pub eml msg ics vcf torrent ttf otf woff woff2 dwg dxf stl obj step stp gltf glb fbx blend
    shp geojson kml gpx dat tmp patch diff
    """.split()  # noqa: SIM905
)

# Extensions that are words too, so that a missing space (stop.go away) or an attribute (console.log) looks like one.
WORDS_THAT_END = frozenset(
    """
    so go key pages numbers log bat lock bin ai pub raw msg dot step patch dump less et ass mat fig obj mid
    swift dart pt ex pl tmp
    """.split()  # noqa: SIM905
)
METHODS_OF = frozenset(
    """
    console self this np numpy torch tf cls obj item row event e ev req res request response ctx args kwargs
    super logger err error math
    """.split()  # noqa: SIM905
)
LOGARITHMS_OF = frozenset(("console", "math", "np", "numpy", "torch", "tf", "self", "this", "cls", "logger"))
WORDS_THAT_ARE = frozenset(
    """
    stop it that this now here there me you them us him her home done away up out back on off ready let just not
    well know yes no ok okay right i.e e.g p a.k.a so
    """.split()  # noqa: SIM905
)
PRODUCTS = frozenset(
    """
    node.js vue.js react.js next.js nuxt.js three.js d3.js express.js chart.js ember.js backbone.js p5.js
    angular.js alpine.js nest.js electron.js discord.js socket.io asp.net docs.rs crates.rs bun.sh brew.sh
    crates.io character.ai claude.ai c.ai x.ai open.ai perplexity.ai mistral.ai fast.ai jasper.ai copy.ai
    """.split()  # noqa: SIM905
)
