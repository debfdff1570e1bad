-- POST /resolve with the bodies of the file $BODIES, one after another; see measure.lua for what it prints.
-- The requests are made beforehand: what wrk does for each of them takes the processor from the server.
local folder = debug.getinfo(1, "S").source:match("^@(.*/)")
dofile(folder .. "measure.lua")

local requests = {}
local count = 0

function init()
    for body in io.lines(os.getenv("BODIES")) do
        requests[#requests + 1] = wrk.format("POST", "/resolve", { ["Content-Type"] = "application/json" }, body)
    end
end

function request()
    count = count % #requests + 1
    return requests[count]
end
